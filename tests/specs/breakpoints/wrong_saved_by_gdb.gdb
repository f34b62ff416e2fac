break buffer_copy
  condition $bpnum count == 6 && buffer->mode == SHORT && $_streq(buffer->name, "source")
  commands
    silent
    open measured
    wait cut
  end
tbreak breakpoints.c:buffer_truncate
  condition $bpnum length < 4
  commands
    silent
    printf "cutter: %d\n", length
    wait measured
    continue
  end
break -source breakpoints.c -line 48
  commands
    open cut
  end
break buffer_append
disable $bpnum
dprintf buffer_length,"length\n"
break buffer_truncate
  ignore $bpnum 5
