"""The entry point of the command line (`commands.py` has the commands).

Exit codes: 0 done, 1 a run failed, formulations disagree or a published number differs, 2 bad input
(nothing is written), 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP. Nothing is imported here that takes time:
a signal during the imports of a command is answered as at any other time.
"""

import sys


def __getattr__(name: str) -> object:
    """`app`, the commands, imported when it is asked for."""
    if name != "app":
        raise AttributeError(name)
    from hamiltree.cli.commands import app

    return app


def main() -> None:
    """Run the command line; an error is one line, without a traceback."""
    try:
        from hamiltree.console import StoppedCommand, close_output, safe_streams
    except KeyboardInterrupt:
        sys.exit(130)
    with StoppedCommand() as stopped, safe_streams() as has_output:
        if not has_output:
            fail("standard output is closed; redirect it to a file or to /dev/null")
            sys.exit(2)
        try:
            code = run_command()
        except BaseException:
            if not stopped.by:  # else an import that was broken off, or the like
                raise
            code = 0
        if stopped.by:
            code = stopped.exit_code()
        code = close_output() or code
    sys.exit(code)


def run_command() -> int:
    """The exit code of the command in sys.argv."""
    from hamiltree.errors import HamiltreeError, StepError, call_for_shell

    try:
        from hamiltree.cli.commands import app

        call_for_shell(app, prog_name="hamiltree")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except StepError as error:
        return fail(error, 1)
    except HamiltreeError as error:
        return fail(error)
    except MemoryError:
        return fail("there is not enough memory", 1)
    except OSError as error:  # of standard output: what opens a file says itself what is wrong
        from hamiltree.console import discard_if_full

        discard_if_full(sys.stdout)  # this is said once
        return fail(f"{error.filename or 'standard output'}: {error.strerror or error}")
    return 0


def fail(error: object, code: int = 2) -> int:
    from hamiltree.console import tell

    tell(f"hamiltree: error: {error}")
    return code
