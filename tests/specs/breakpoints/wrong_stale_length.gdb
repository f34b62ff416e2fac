# The appender has measured, and not copied yet, when the cutter cuts.
break buffer_copy thread appender if count == 6 && strcmp(buffer->name, "source") == 0
  commands
    silent
    open measured
    wait cut
  end
tbreak buffer_truncate
  commands
    silent
    wait measured
  end
tbreak buffer_truncate:return
  commands
    open cut
  end
