"""What a script's test has to complain of: printed, unless `silent`; bad is the script's exit status."""

bad = 0
silent = False


def complain(text):
    global bad
    bad = 1
    if not silent:
        print(text)


def equal(what, got, wanted):
    if got != wanted:
        complain(f"{what}: got {got}, wanted {wanted}")
