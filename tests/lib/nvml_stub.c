/* A stand-in for the NVIDIA driver's libnvidia-ml.so.1. Environment variables control the
 * results:
 *
 *   NVML_STUB_CUDA          the result of the version functions, 1000 * major + 10 * minor
 *   NVML_STUB_DRIVER        the version of the driver itself, "535.104.05"
 *   NVML_STUB_CAPABILITIES  one item per GPU, "9.0,8.6"; "!15" fails with error 15;
 *                           with "?2", getting the handle fails with error 2
 *   NVML_STUB_COUNT         the number of GPUs, if not the number of items
 *   NVML_STUB_ERRORS        functions that fail, "nvmlInit=9,nvmlDeviceGetCount=999"
 *   NVML_STUB_HANGS         the function that never returns
 *
 * Names of functions omit "WithFlags" and "_v2"; nvmlSystemGetCudaDriverVersion_v2 keeps it.
 * With -DNVML_STUB_INCOMPLETE, the library contains only the first function.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2 };

static int initialized;

/* Return the configured error of a function; never return if the function must hang. */
static int told(const char *function)
{
    const char *hangs = getenv("NVML_STUB_HANGS");
    const char *item = getenv("NVML_STUB_ERRORS");
    size_t length = strlen(function);

    while (hangs && strcmp(hangs, function) == 0)
        pause();
    while (item && *item) {
        if (strncmp(item, function, length) == 0 && item[length] == '=')
            return atoi(item + length + 1);
        item = strchr(item, ',');
        item = item ? item + 1 : NULL;
    }
    return SUCCESS;
}

int nvmlInitWithFlags(unsigned int flags)
{
    int error = told("nvmlInit");
    (void)flags;
    initialized = error == SUCCESS;
    return error;
}

#ifndef NVML_STUB_INCOMPLETE

/* Return the item of a GPU, or NULL. */
static const char *gpu(unsigned int index)
{
    const char *item = getenv("NVML_STUB_CAPABILITIES");

    if (item && !*item)
        item = NULL;
    while (item && index--) {
        item = strchr(item, ',');
        item = item ? item + 1 : NULL;
    }
    return item;
}

static int ready(const char *function)
{
    int error = told(function);

    return error == SUCCESS && !initialized ? UNINITIALIZED : error;
}

static int version(const char *function, int *out)
{
    const char *cuda = getenv("NVML_STUB_CUDA");
    int error = ready(function);

    if (error == SUCCESS)
        *out = cuda ? atoi(cuda) : 0;
    return error;
}

int nvmlShutdown(void)
{
    return ready("nvmlShutdown");
}

int nvmlSystemGetCudaDriverVersion(int *out)
{
    return version("nvmlSystemGetCudaDriverVersion", out);
}

int nvmlSystemGetCudaDriverVersion_v2(int *out)
{
    return version("nvmlSystemGetCudaDriverVersion_v2", out);
}

int nvmlSystemGetDriverVersion(char *out, unsigned int length)
{
    const char *driver = getenv("NVML_STUB_DRIVER");
    int error = ready("nvmlSystemGetDriverVersion");

    if (error == SUCCESS)
        snprintf(out, length, "%s", driver ? driver : "");
    return error;
}

int nvmlDeviceGetCount_v2(unsigned int *out)
{
    const char *count = getenv("NVML_STUB_COUNT");
    int error = ready("nvmlDeviceGetCount");

    if (error != SUCCESS)
        return error;
    if (count) {
        *out = (unsigned int)strtoul(count, NULL, 10);
        return SUCCESS;
    }
    for (*out = 0; gpu(*out); ++*out)
        ;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **out)
{
    const char *item = gpu(index);
    int error = ready("nvmlDeviceGetHandleByIndex");

    if (error != SUCCESS)
        return error;
    if (!item)
        return INVALID_ARGUMENT;
    if (*item == '?')
        return atoi(item + 1);
    *out = (void *)item;
    return SUCCESS;
}

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor)
{
    int error = ready("nvmlDeviceGetCudaComputeCapability");
    const char *item = device;

    if (error != SUCCESS)
        return error;
    if (*item == '!')
        return atoi(item + 1);
    return sscanf(item, "%d.%d", major, minor) == 2 ? SUCCESS : INVALID_ARGUMENT;
}

/* GPU-0, GPU-1 and so on, in the order of the list. */
int nvmlDeviceGetUUID(void *device, char *out, unsigned int length)
{
    int error = ready("nvmlDeviceGetUUID");
    unsigned int index = 0;

    if (error != SUCCESS)
        return error;
    while (gpu(index) && gpu(index) != (const char *)device)
        ++index;
    snprintf(out, length, "GPU-%u", index);
    return SUCCESS;
}

#endif
