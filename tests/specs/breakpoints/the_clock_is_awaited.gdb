break step
  commands
    await 3
    tick
  end
