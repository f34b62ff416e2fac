break breakpoints.c:buffer_truncate if $_streq($_thread_name, "cutter")
