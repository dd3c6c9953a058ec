load ../helpers

# log EXPRESSION: what jq finds in the last log.
log() {
    jq -er "$1" .err
}

bad_kernel() {
    cat >k.tri <<'K'
import triton
import triton.language as tl

@triton.jit
def k(p, n, B: tl.constexpr):
    s: tl.constexpr = 'é🙂'; i = tl.arnge(0, B)
    tl.store(p + j, i)
K
}

@test "SARIF: errors are results with rules, ranges in code points, and fixes" {
    need jq
    bad_kernel
    tritcc -1 k.tri -sig '*i32, i32, 64' -fdiagnostics-format=sarif
    [ "$(log '.version')" = 2.1.0 ]
    [ "$(log '.runs[0].columnKind')" = unicodeCodePoints ]
    [ "$(log '.runs[0].results | length')" = 2 ]
    [ "$(log '.runs[0].results[0] | "\(.ruleId) \(.level) \(.locations[0].physicalLocation.artifactLocation.uri)"')" = "TRI-3003 error k.tri" ]
    [ "$(log '.runs[0].results[0].locations[0].physicalLocation.region | "\(.startLine):\(.startColumn)-\(.endLine):\(.endColumn)"')" = 6:36-6:41 ]
    [ "$(log '.runs[0].results[0].fixes[0].artifactChanges[0].replacements[0] | "\(.deletedRegion.startColumn) \(.insertedContent.text)"')" = "36 arange" ]
    log '.runs[0] as $r | all($r.results[]; $r.tool.driver.rules[.ruleIndex].id == .ruleId)'
    log 'all(.runs[0].tool.driver.rules[]; (.help.text | length) > 20 and (.shortDescription.text | length) > 3)'
    log '.runs[0].invocations[0] | .exitCode == 1 and (.executionSuccessful | not)'
}

@test "SARIF: warnings, remarks and what has no place" {
    need jq
    cat >k.tri <<'K'
import triton
import triton.language as tl

@triton.jit
def k(p, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, tl.where(i, tl.load(p + i), 0.0))
K
    tritcc k.tri -sig '*fp32:16, 1024' -arch=sm_80 -emit=ptx -Rpass=memory -fdiagnostics-format=sarif
    [ "$(log '[.runs[0].results[] | "\(.ruleId) \(.kind) \(.level)"] | unique | join(",")')" = "-Rpass=memory informational none,-Wdeprecated fail warning" ]
    log '.runs[0].invocations[0] | .exitCode == 0 and .executionSuccessful'
    tritcc -2 k.tri -fdiagnostics-format=sarif --no-such-option
    log '.runs[0].results == []'
    [ "$(log '.runs[0].invocations[0].toolExecutionNotifications[0].descriptor.id')" = TRI-1002 ]
}

@test "SARIF: a clean run has an empty log, and names of files are references" {
    need jq
    mkdir 'a b'
    bad_kernel
    cp k.tri 'a b/é%.tri'
    tritcc "$EXAMPLES/vadd/vadd.tri" -sig '*fp32, *fp32, *fp32, i32, 64' -emit=ttir -fdiagnostics-format=sarif
    log '.runs[0].results == []'
    tritcc -1 'a b/é%.tri' -sig '*i32, i32, 64' -fdiagnostics-format=sarif
    [ "$(log '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri')" = 'a%20b/%C3%A9%25.tri' ]
    tritcc -1 - -sig '*i32, i32, 64' -fdiagnostics-format=sarif <k.tri
    [ "$(log '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.description.text')" = '<stdin>' ]
}
