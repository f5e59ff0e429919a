/* A stand-in for Level Zero's libze_loader.so.1. Environment variables control the
 * results:
 *
 *   ZE_STUB_DRIVERS   drivers divided by ";", each with its devices divided by ",": type
 *                     (1 is a GPU), vendor in hexadecimal and device IP, as in
 *                     "1:8086:20.2.0"; "!0x70000001" is a device that fails with this
 *                     error, "?0x70000001" as the only item a driver that fails, and
 *                     "1:8086:" a GPU whose driver does not report its device IP
 *   ZE_STUB_COUNT     the number of devices that each driver reports, if not the number
 *                     of items; the handles of additional devices stay unset
 *   ZE_STUB_ERRORS    functions that fail, "zeInit=0x78000001,zeDriverGet=1"
 *   ZE_STUB_HANGS     the function that never returns
 *
 * With -DZE_STUB_INCOMPLETE, the library contains only the first function. Structures
 * follow the specification; a caller that uses them in another way gets an error.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SUCCESS = 0,
    UNINITIALIZED = 0x78000001,
    INVALID_ARGUMENT = 0x78000004,
    INVALID_NULL_HANDLE = 0x78000005,
    INVALID_ENUMERATION = 0x7800000c,
};

static int initialized;

/* Return the configured error of a function; never return if the function must hang. */
static int told(const char *function)
{
    const char *hangs = getenv("ZE_STUB_HANGS");
    const char *item = getenv("ZE_STUB_ERRORS");
    size_t length = strlen(function);

    while (hangs && strcmp(hangs, function) == 0)
        pause();
    while (item && *item) {
        if (strncmp(item, function, length) == 0 && item[length] == '=')
            return (int)strtol(item + length + 1, NULL, 0);
        item = strchr(item, ',');
        item = item ? item + 1 : NULL;
    }
    return SUCCESS;
}

int zeInit(uint32_t flags)
{
    int error = told("zeInit");

    if (error == SUCCESS && flags != 1)
        error = INVALID_ENUMERATION;
    initialized = error == SUCCESS;
    return error;
}

#ifndef ZE_STUB_INCOMPLETE

static int ready(const char *function)
{
    int error = told(function);

    return error == SUCCESS && !initialized ? UNINITIALIZED : error;
}

/* Return the items of a list, as Level Zero does: first the number, then all items. */
static int items(const char *list, const char *separator, const char *ends,
                 uint32_t *count, const char **out, uint32_t pretended)
{
    uint32_t there = 0;

    for (const char *item = list; item && *item && !strchr(ends, *item); ++there) {
        if (out && there < *count)
            out[there] = item;
        item = strpbrk(item, separator);
        if (!item || strchr(ends, *item))
            item = NULL;
        else
            ++item;
    }
    if (pretended)
        there = pretended;
    if (!out || there < *count)
        *count = there;
    return SUCCESS;
}

int zeDriverGet(uint32_t *count, const char **drivers)
{
    int error = ready("zeDriverGet");

    if (error != SUCCESS)
        return error;
    return items(getenv("ZE_STUB_DRIVERS"), ";", "", count, drivers, 0);
}

int zeDeviceGet(const char *driver, uint32_t *count, const char **devices)
{
    const char *pretended = getenv("ZE_STUB_COUNT");
    int error = ready("zeDeviceGet");

    if (error != SUCCESS)
        return error;
    if (!driver)
        return INVALID_NULL_HANDLE;
    if (*driver == '?')
        return (int)strtol(driver + 1, NULL, 0);
    return items(driver, ",;", ";", count, devices,
                 pretended ? (uint32_t)strtoul(pretended, NULL, 0) : 0);
}

struct ip_version {
    uint32_t stype;
    const void *next;
    uint32_t version;
};

struct properties {
    uint32_t stype;
    struct ip_version *next;
    uint32_t type, vendor, device, flags, subdevice, clock;
    uint64_t max_memory;
    uint32_t numbers[7];
    uint64_t timer_resolution;
    uint32_t valid_bits[2];
    uint8_t uuid[16];
    char name[256];
};

int zeDeviceGetProperties(const char *device, struct properties *out)
{
    int error = ready("zeDeviceGetProperties");
    unsigned int type, vendor, architecture, release, revision;
    int found;

    if (error != SUCCESS)
        return error;
    if (*device == '!')
        return (int)strtol(device + 1, NULL, 0);
    if (out->stype != 3 || !out->next || out->next->stype != 0x1000f || out->next->next)
        return INVALID_ARGUMENT;
    found = sscanf(device, "%u:%x:%u.%u.%u", &type, &vendor, &architecture, &release,
                   &revision);
    memset(&out->type, 0xff, sizeof *out - offsetof(struct properties, type));
    out->type = type;
    out->vendor = vendor;
    /* The bits between are reserved, and must not matter. */
    if (found == 5)
        out->next->version = architecture << 22 | release << 14 | 0xff << 6 | revision;
    return SUCCESS;
}

#endif
