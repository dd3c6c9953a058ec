#!/bin/sh
# A cluster of one machine (Debian's slurmctld and slurmd, without other services) for trying job.sbatch: starts both in a
# folder of its own, builds by an array of TASKS (8) tasks, kills one in the middle, and waits until the queue is empty.
# Then `make` has nothing left but the link. usage: slurm.sh [MAKE ARGUMENTS...]
set -eu
cd "$(dirname "$0")"
tasks=${TASKS:-8} cores=${CORES:-$(nproc)}
folder=$(mktemp -d)
host=$(hostname -s)
controller='' node=''
stop() {
    for pid in $node $controller; do kill "$pid" 2>/dev/null || :; done
    wait
    rm -rf "$folder"
}
trap stop EXIT

cat >"$folder/slurm.conf" <<CONF
ClusterName=kernels
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
AuthType=auth/none
CredType=cred/none
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
mkdir "$folder/state" "$folder/spool"
export SLURM_CONF=$folder/slurm.conf
slurmctld -D >"$folder/slurmctld.log" 2>&1 &
controller=$!
slurmd -D -N "$host" >"$folder/slurmd.log" 2>&1 &
node=$!
for _ in $(seq 60); do
    sinfo -h -o %t 2>/dev/null | grep -qE 'idle|mix|alloc' && break
    sleep 1
done
sinfo -h -o %t | grep -qE 'idle|mix|alloc' || { cat "$folder"/*.log; exit 1; }

make variants.mk objects "$@"
job=$(sbatch --parsable --array="0-$((tasks - 1))" --output="$folder/task-%a.log" job.sbatch)
sleep "${KILL_AFTER:-5}"
task=$(squeue -h -t running -o %i | head -n 1)
if [ -n "$task" ]; then
    kill -9 $(scontrol listpids "$(squeue -h -t running -o %A | head -n 1)" | awk 'NR > 1 { print $1 }') 2>/dev/null || :
    echo "killed task $task after $(ls objects/*.o 2>/dev/null | wc -l) objects"
    scontrol requeue "$task" 2>/dev/null || :
fi
while squeue -h -j "$job" 2>/dev/null | grep -q .; do sleep 1; done
echo "$(ls objects/*.o | wc -l) of $(sh plan.sh | wc -l) objects after the array of $tasks tasks"
make "$@"
