/* A wall clock that a test can set for one process: the seconds in the file CHAOS_CLOCK are added to it.
   The monotonic and boot-time clocks stay real. (libfaketime breaks clock_nanosleep when it is told to leave them alone.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double *apart;

static double seconds(void) {
  if (!apart) { /* looked for until it is there: a process is forked first and gets its environment then */
    const char *path = getenv("CHAOS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    void *found = mmap(0, sizeof(double), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (found == MAP_FAILED) return 0;
    apart = found;
  }
  return *apart;
}

int clock_gettime(clockid_t which, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(which, now);
  if (!failed && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += (time_t)seconds();
  return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *where) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (where) *where = exact.tv_sec;
  return exact.tv_sec;
}
