/* A stand-in for libascendcl.so and libruntime.so, Ascend's runtime, that records what launchers ask of it. Two
 * devices; failures are chosen through stub_fail(). Its memory is the host's. Built once under both names: as
 * libruntime.so with -DRUNTIME, linked to the other, which holds the log. */
#include "tests/targets/stub_ascend.h"

#include <stdlib.h>
#include <string.h>

#ifndef RUNTIME

static stub_log the_log = {.soc = "Ascend910B3"};
static const char *failing;
static int failure;
static __thread int device = -1;

stub_log *stub_get_log(void) { return &the_log; }

void stub_fail(const char *function, int error)
{
    failing = function;
    failure = error;
}

int stub_outcome(const char *function) { return failing && !strcmp(failing, function) ? failure : 0; }

int aclInit(const char *config)
{
    (void)config;
    the_log.inits++;
    return stub_outcome("aclInit");
}

int aclrtGetDeviceCount(uint32_t *count)
{
    *count = 2;
    return stub_outcome("aclrtGetDeviceCount");
}

int aclrtGetDevice(int32_t *out)
{
    *out = device;
    return device < 0 ? 107002 : 0;
}

int aclrtSetDevice(int32_t number)
{
    device = number;
    return number > 1 ? 107001 : stub_outcome("aclrtSetDevice");
}

const char *aclrtGetSocName(void) { return the_log.soc; }

int aclrtMalloc(void **out, size_t bytes, int policy)
{
    (void)policy;
    the_log.allocations++;
    the_log.allocated = bytes;
    *out = the_log.memory = malloc(bytes);
    memset(*out, 0x55, bytes);
    return stub_outcome("aclrtMalloc");
}

int aclrtFree(void *memory)
{
    free(memory);
    the_log.frees++;
    return 0;
}

int aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int kind)
{
    if (bytes > room || kind != 1)
        return 107000;
    memcpy(to, from, bytes);
    return stub_outcome("aclrtMemcpy");
}

int aclrtMemsetAsync(void *to, size_t room, int32_t value, size_t bytes, void *stream)
{
    (void)stream;
    if (bytes > room)
        return 107000;
    memset(to, value, bytes);
    return stub_outcome("aclrtMemsetAsync");
}

int aclrtSynchronizeStream(void *stream)
{
    (void)stream;
    the_log.waits++;
    return stub_outcome("aclrtSynchronizeStream");
}

int aclrtCreateEvent(void **event)
{
    *event = &the_log;
    return stub_outcome("aclrtCreateEvent");
}

int aclrtRecordEvent(void *event, void *stream) { return (void)event, (void)stream, stub_outcome("aclrtRecordEvent"); }
int aclrtSynchronizeEvent(void *event) { return (void)event, stub_outcome("aclrtSynchronizeEvent"); }
int aclrtDestroyEvent(void *event) { return (void)event, 0; }

int aclrtEventElapsedTime(float *milliseconds, void *start, void *end)
{
    (void)start, (void)end;
    *milliseconds = (float)(the_log.cost ? the_log.cost : 1);
    return stub_outcome("aclrtEventElapsedTime");
}

const char *aclGetRecentErrMsg(void) { return "EZ9999: the aicore execution is abnormal"; }

#else

int stub_outcome(const char *function);

typedef struct {
    uint32_t magic, version;
    const void *data;
    uint64_t length;
} device_binary;

int rtDevBinaryRegister(const device_binary *binary, void **handle)
{
    stub_log *log = stub_get_log();
    log->loads++;
    log->magic = binary->magic;
    memcpy(log->code, binary->data, binary->length < sizeof log->code ? binary->length : sizeof log->code - 1);
    *handle = log->code;
    return stub_outcome("rtDevBinaryRegister");
}

int rtDevBinaryUnRegister(void *handle)
{
    stub_get_log()->unloads += handle == stub_get_log()->code;
    return stub_outcome("rtDevBinaryUnRegister");
}

int rtFunctionRegister(void *handle, const void *stub, const char *stub_name, const void *name, uint32_t mode)
{
    stub_log *log = stub_get_log();
    (void)stub_name;
    if (handle != log->code || mode)
        return 107000;
    log->registered++;
    log->stub = stub;
    strncpy(log->function, name, sizeof log->function - 1);
    return stub_outcome("rtFunctionRegister");
}

int rtKernelLaunch(const void *stub, uint32_t blocks, void *args, uint32_t bytes, void *memory, void *stream)
{
    stub_log *log = stub_get_log();
    int error = stub_outcome("rtKernelLaunch");
    if (error)
        return error;
    if (!stub || memory || bytes > sizeof log->args)
        return 107000;
    log->launches++;
    log->blocks = blocks;
    log->bytes = bytes;
    log->launched = stub;
    log->stream = stream;
    memcpy(log->args, args, bytes);
    return 0;
}

int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *length)
{
    *address = 0xffee;
    *length = 8;
    return stub_outcome("rtGetC2cCtrlAddr");
}

#endif
