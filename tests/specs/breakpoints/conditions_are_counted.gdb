# 100 once, as i is 4 once.
break step if i == 4
  commands
    set var counted = counted + 100
  end

# There are ten steps, so this does not happen.
break step
  ignore $bpnum 10
  commands
    fail there is an eleventh
  end

# The first of six steps only.
tbreak step if i > 3
  commands
    set var counted = counted + 1
  end

# All but the first of six.
break breakpoints.c:step if i > 3
  ignore $bpnum 1
  commands
    set var counted = counted + 1000
  end

break step
disable
enable 1 2 3 4
