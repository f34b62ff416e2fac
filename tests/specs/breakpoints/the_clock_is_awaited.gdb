break step
  commands
    await 3
  end
