/* macOS' sysctlbyname(3), to be preloaded elsewhere. It tells the values that stand in
 * the environment variable SYSCTL_STUB, as "name=value" lines. */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int sysctlbyname(const char *name, void *old, size_t *size, void *new, size_t new_size)
{
    const char *line = getenv("SYSCTL_STUB");
    size_t length = strlen(name);

    if (new || new_size) {
        errno = EPERM;
        return -1;
    }
    while (line && *line) {
        size_t end = strcspn(line, "\n");

        if (end > length && !strncmp(line, name, length) && line[length] == '=') {
            size_t needed = end - length; /* the value and a NUL */

            if (old && *size < needed) {
                errno = ENOMEM;
                return -1;
            }
            if (old) {
                memcpy(old, line + length + 1, needed - 1);
                ((char *)old)[needed - 1] = '\0';
            }
            *size = needed;
            return 0;
        }
        line += end + (line[end] == '\n');
    }
    errno = ENOENT;
    return -1;
}
