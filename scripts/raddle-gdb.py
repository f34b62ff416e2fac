# raddle-gdb.py -- controlled threads in gdb.
#
# To gdb, all threads that Raddle controls are one, which changes its stack.  The library tells who
# there is, in memory (src/control/sched/debug.h); here that becomes commands:
#
#     raddle threads             who there is, where each stands, and what it waits for
#     raddle who-holds           locks: who holds them, since where, and who waits for them
#     raddle bt N                where thread N is
#     raddle thread N COMMAND    a command of gdb's, as thread N would see it
#     raddle next                go on until another thread has its turn
#     raddle step                go on until the next operation of any thread
#     raddle start               begin again, and stop at the first switch of threads
#     raddle run                 run the case, up to where somebody does wrong
#     raddle here                select the frame of the code under test
#
# `raddle replay --gdb` loads it, and says `raddle run`.
import gdb


class Unknown(gdb.GdbError):
    pass


# ---- What the library says ------------------------------------------------------------------


def lines_of(variable):
    """A text of the library, whether or not there is debugging information about it."""
    try:
        text = gdb.parse_and_eval(f"*(char **)&{variable}").string(errors="replace")
    except gdb.error as why:
        raise Unknown(f"this is no process with Raddle in it, or it does not run: {why}")
    return [line.split("\t") for line in text.splitlines()]


class Thread:
    def __init__(self, fields):
        self.number, self.name, self.state, self.does = int(fields[0]), *fields[1:4]
        self.object, self.pc, self.sp, self.fs = (int(field, 16) for field in fields[4:8])


def threads():
    found = [Thread(fields) for fields in lines_of("rdl__debug_threads")]
    if not found:
        raise Unknown("no threads are controlled here; `info threads` shows all there are")
    return found


def thread_named(word):
    for thread in threads():
        if word in (str(thread.number), thread.name):
            return thread
    raise Unknown(f"there is no thread {word}; `raddle threads` shows all")


# ---- Places -----------------------------------------------------------------------------------


def place(pc):
    """A return address: the call before it counts."""
    if not pc:
        return ""
    where = gdb.find_pc_line(pc - 1)
    block = gdb.block_for_pc(pc - 1)
    while block and not block.function:
        block = block.superblock
    function = f" in {block.function}" if block else ""
    folder = own_folder()
    if where.symtab and folder and where.symtab.fullname().startswith(folder):
        return ""  # Raddle's own affairs
    if where.symtab:
        return f"{where.symtab.filename.rsplit('/', 1)[-1]}:{where.line}{function}"
    return gdb.execute(f"info symbol {pc - 1:#x}", to_string=True).split(" in section")[0]


def name(address):
    """"alice + 8", if that is a variable."""
    if not address:
        return ""
    text = gdb.execute(f"info symbol {address:#x}", to_string=True)
    if text.startswith("No symbol"):
        return f"{address:#x}"
    return text.split(" in section")[0].replace(" + 0", "")


def own_folder():
    """Where the library's sources were, if that is known."""
    symbol = gdb.lookup_global_symbol("rdl__debug_threads")
    path = symbol.symtab.fullname() if symbol and symbol.symtab else ""
    return path[: -len("control/sched/debug.c")] if path.endswith("control/sched/debug.c") else None


def is_own(frame, folder):
    """Raddle's, or that of something which nobody is about to debug."""
    symtab = frame.find_sal().symtab
    function = frame.name() or ""
    if not symtab or (function.startswith("rdl_") and not function.startswith("rdl_property_")):
        return True
    file = (gdb.solib_name(frame.pc()) or "").rsplit("/", 1)[-1]
    if file.startswith(("libc.so", "libc-", "ld-linux", "libpthread", "libraddle.so")):
        return True
    return bool(folder) and symtab.fullname().startswith(folder)


def select_user_frame():
    folder, frame = own_folder(), gdb.newest_frame()
    while frame and frame.is_valid():
        if not is_own(frame, folder):
            frame.select()
            return True
        frame = frame.older()
    return False


# ---- In the place of another thread -----------------------------------------------------------

SAVED = ("rsp", "rbp", "rbx", "r12", "r13", "r14", "r15", "rip", "fs_base")


def registers_of(thread):
    """As rdl__switch has left them on its stack (src/port/switch.c)."""
    memory = gdb.selected_inferior().read_memory(thread.sp, 64).tobytes()
    words = [int.from_bytes(memory[at:at + 8], "little") for at in range(0, 64, 8)]
    _, r15, r14, r13, r12, rbx, rbp, rip = words
    return {"rsp": thread.sp + 64, "rbp": rbp, "rbx": rbx, "r12": r12, "r13": r13, "r14": r14,
            "r15": r15, "rip": rip, "fs_base": thread.fs}


def set_registers(values):
    for register, value in values.items():
        gdb.execute(f"set ${register} = {value:#x}", to_string=True)


def run(commands):
    """Of gdb's, or functions of ours."""
    for command in commands:
        try:
            command() if callable(command) else gdb.execute(command)
        except gdb.error as why:
            raise Unknown(str(why))


def show_stack():
    """Without what Raddle itself does at both ends of it, if there is anything else."""
    folder, frame, lines = own_folder(), gdb.newest_frame(), []
    for line in gdb.execute("backtrace", to_string=True).replace("\n    ", " ").splitlines():
        if not frame or not frame.is_valid():
            break
        lines.append((is_own(frame, folder), line))
        frame = frame.older()
    if any(not own for own, line in lines):
        lines = [(own, line) for own, line in lines if not own]
    print("\n".join(line for own, line in lines))


def as_thread(thread, commands):
    """Do commands as if this thread had been stopped; nothing is changed in the end."""
    if thread.state == "has ended":
        raise Unknown(f"{thread.name} has ended")
    selected = gdb.selected_frame()
    if not thread.sp:  # it is the one that was stopped
        select_user_frame()
        run(commands)
        selected.select()
        return
    level = selected.level()
    gdb.newest_frame().select()
    before = {register: int(gdb.parse_and_eval(f"(unsigned long)${register}"))
              for register in SAVED}
    try:
        set_registers(registers_of(thread))
        select_user_frame()
        run(commands)
    finally:
        gdb.newest_frame().select()
        set_registers(before)
        frame = gdb.newest_frame()
        for _ in range(level):
            frame = frame.older()
        frame.select()


# ---- Commands -----------------------------------------------------------------------------------


class Raddle(gdb.Command):
    """Threads that Raddle controls: raddle threads, who-holds, bt, thread, next, step,
    start, run, here."""

    def __init__(self):
        super().__init__("raddle", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)

    def invoke(self, arguments, from_tty):
        gdb.execute("help raddle")


class Command(gdb.Command):
    def __init__(self):
        words = type(self).__name__.replace("_", "-").lower()
        super().__init__(f"raddle {words}", gdb.COMMAND_STACK)


def show(thread, is_about_to=False):
    mark = "*" if thread.state in ("runs", "fails", "is wrong") else " "
    what = thread.does if thread.state == "waits" else thread.state
    if thread.state == "is ready" and thread.does:
        what = f"is ready: {thread.does} next"
    if thread.state == "fails" and thread.does.startswith("waits"):
        what = f"{thread.does}: it came last"
    if thread.state == "is wrong":
        is_idle = thread.does == "waits for its next call"
        what = "has returned, and should not have" if is_idle else f"{thread.does}, and should not"
    if thread.state == "runs" and is_about_to and thread.does:
        what = thread.does
    where = place(thread.pc) if thread.state != "runs" else here() or place(thread.pc)
    known = name(thread.object) if thread.object and "0x" not in name(thread.object) else ""
    print(f"{mark} {thread.number:<3} {thread.name:<14} {what}"
          + (f" ({known})" if known and what != "runs" else "")
          + (f", at {where}" if where else ""))


def here():
    """Where the running thread is, in the code under test."""
    selected = gdb.selected_frame()
    found = place(gdb.selected_frame().pc() + 1) if select_user_frame() else ""
    selected.select()
    return found


class Threads(Command):
    """Who there is, where each thread stands, and what it waits for."""

    def invoke(self, arguments, from_tty):
        for thread in threads():
            show(thread)


class Who_Holds(Command):
    """Locks: who holds them, since where, and who waits for them."""

    def invoke(self, arguments, from_tty):
        everybody = {thread.number: thread for thread in threads()}
        holds = lines_of("rdl__debug_holds")
        for number, address, pc, how in holds:
            what = int(address, 16)
            print(f"{name(what)}: {everybody[int(number)].name} holds it"
                  + (f" ({how})" if how else "") + f" since {place(int(pc, 16))}")
            for thread in everybody.values():
                blocked = thread.state in ("waits", "fails", "is wrong") and thread.number != int(number)
                if blocked and thread.object == what:
                    print(f"    {thread.name} waits for it at {place(thread.pc)}")
        if not holds:
            print("Nobody holds a lock.")


class Bt(Command):
    """raddle bt N: where this thread is."""

    def invoke(self, arguments, from_tty):
        words = gdb.string_to_argv(arguments)
        if not words:
            raise gdb.GdbError("which thread?  raddle bt N; `raddle threads` shows all")
        as_thread(thread_named(" ".join(words)), [show_stack])


class One(Command):
    """raddle thread N COMMAND: a command of gdb's, as this thread would see it."""

    def __init__(self):
        gdb.Command.__init__(self, "raddle thread", gdb.COMMAND_STACK)

    def invoke(self, arguments, from_tty):
        words = arguments.split(None, 1)
        if not words:
            raise gdb.GdbError("which thread?  raddle thread N COMMAND")
        commands = words[1].split(";") if len(words) > 1 else ["frame", "info locals"]
        as_thread(thread_named(words[0]), [command.strip() for command in commands])


def go_on(place_to_stop, command):
    """Until it is there; then say who is."""
    stop = gdb.Breakpoint(place_to_stop, internal=True, temporary=True)
    stop.silent = True
    gdb.execute(command, to_string=True)
    if gdb.selected_inferior().pid == 0:
        print("The program has ended.")
        return
    if stop.is_valid():  # it was stopped by something else: a breakpoint, or it fails
        stop.delete()
        gdb.execute("raddle here")
        return
    select_user_frame()
    for thread in threads():
        if thread.state == "runs":
            show(thread, is_about_to=True)


def check_running():
    if gdb.selected_inferior().pid == 0:
        raise gdb.GdbError("the program does not run; `raddle start` begins")
    if any(thread.state in ("fails", "is wrong") for thread in threads()):
        raise gdb.GdbError("the case has failed; `raddle start` begins again")


class Next(Command):
    """Go on until another thread has its turn."""

    def invoke(self, arguments, from_tty):
        check_running()
        go_on("rdl__debug_switched", "continue")


class Step(Command):
    """Go on until the next operation of any thread."""

    def invoke(self, arguments, from_tty):
        check_running()
        go_on("rdl__debug_step", "continue")


class Start(Command):
    """Begin again, and stop at the first switch of threads."""

    def invoke(self, arguments, from_tty):
        go_on("rdl__debug_switched", "run")


class Here(Command):
    """Select the frame of the code under test, and show it."""

    def invoke(self, arguments, from_tty):
        if gdb.selected_inferior().pid == 0:
            print("The program has ended: nothing has failed.")
        elif select_user_frame():
            gdb.execute("frame")


# ---- Where somebody does wrong ------------------------------------------------------------------


class Exits(gdb.Breakpoint):
    """Who ends the process in the middle of a case is seen; a program that has come to its end is
    not worth a stop."""

    status = None  # of one that was stopped for

    def __init__(self):
        super().__init__("_exit", internal=True)
        self.silent = True

    def stop(self):
        names, frame = [], gdb.newest_frame()
        while frame and frame.is_valid():
            names.append(frame.name() or "")
            frame = frame.older()
        status = int(gdb.parse_and_eval("(int)$rdi"))
        is_of_test = any(name.startswith("rdl_property_") for name in names)
        self.status = status if is_of_test or (status != 0 and select_user_frame()) else None
        return self.status is not None


def run_until(function, condition=""):
    """Go on to this function of the library; has it been reached?"""
    stop = gdb.Breakpoint(function, internal=True, temporary=True)
    stop.silent = True
    if condition:
        stop.condition = condition
    gdb.execute("continue", to_string=True)
    if stop.is_valid():
        stop.delete()
        return False
    return gdb.selected_inferior().pid != 0


def begin_again():
    stop = gdb.Breakpoint("rdl__debug_begins", internal=True, temporary=True)
    stop.silent = True
    gdb.execute("run", to_string=True)


def go_to_step(number, name):
    """What it has done is over when a judge says so; the schedule is the same another time."""
    begin_again()
    if run_until("rdl__debug_step", f"$rdi == {number}"):
        print(f"This is the last that {name} does in the call that is wrong; `continue` leads to "
              "the verdict.")


def go_to_call(number, function):
    begin_again()
    if run_until("rdl__debug_call", f"$rdi == {number}") and run_until(f"*{int(function, 16):#x}"):
        print("Here begins the call that is wrong; `continue` leads to the verdict.")


class Run(Command):
    """Run the case, up to where somebody does wrong.

    That is where it fails, or, if a judge has seen it afterwards, the last step of the call in
    question."""

    def invoke(self, arguments, from_tty):
        exits.status = None
        gdb.execute("run")
        blamed = [] if gdb.selected_inferior().pid == 0 else self.blamed()
        for how, number, which in blamed[:1]:
            (go_to_step if how == "step" else go_to_call)(number, which)
        if exits.status is not None:
            print(f"It exits with status {exits.status}.")
        gdb.execute("raddle here")

    @staticmethod
    def blamed():
        try:
            return lines_of("rdl__debug_blamed")
        except gdb.GdbError:  # no process with Raddle in it
            return []


for command in (Raddle, Threads, Who_Holds, Bt, One, Next, Step, Start, Run, Here):
    command()
gdb.execute("set confirm off")
gdb.execute("set breakpoint pending on")
gdb.execute("python exits = Exits()", to_string=True)  # that it is not there yet is no news
