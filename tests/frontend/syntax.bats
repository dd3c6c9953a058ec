load ../helpers

# rejected NAME: the messages for syntax/NAME.py are those of syntax/NAME.err, to the letter.
rejected() {
    cp "$SRCDIR/tests/frontend/syntax/$1.py" .
    tritcc -1 "$1.py" -emit=ast=-
    [ -z "$output" ]
    golden "$SRCDIR/tests/frontend/syntax/$1.err"
}

@test "a '(' that the file never closes" { rejected unclosed-paren; }
@test "an unclosed '(' before the next statement" { rejected unclosed-then-statement; }
@test "an unclosed '[' before a def" { rejected unclosed-before-def; }
@test "two unclosed brackets are two errors" { rejected unclosed-two; }
@test "a closing bracket without an opener" { rejected unmatched; }
@test "a bracket closed by another kind" { rejected mismatched; }
@test "a missing comma in a call" { rejected missing-comma; }
@test "a missing comma on another line names the opener" { rejected missing-comma-lines; }
@test "an unterminated string" { rejected unterminated; }
@test "an unterminated triple-quoted string" { rejected unterminated-triple; }
@test "a character of no token" { rejected bad-char; }
@test "a quote from a word processor" { rejected smart-quote; }
@test "a no-break space" { rejected nbsp; }
@test "malformed numbers" { rejected numbers; }
@test "an unindent that matches no level" { rejected unindent; }
@test "a missing block" { rejected missing-block; }
@test "an unexpected indentation" { rejected unexpected-indent; }
@test "tabs and spaces mixed" { rejected tabs; }
@test "a caret under tabs" { rejected tab-caret; }
@test "a caret after characters outside ASCII" { rejected utf8-caret; }
@test "a missing colon" { rejected missing-colon; }
@test "'=' in a condition" { rejected assign-in-condition; }
@test "things that cannot be assigned" { rejected targets; }
@test "misplaced ':='" { rejected walrus; }
@test "a print statement of Python 2" { rejected print; }
@test "'else if'" { rejected else-if; }
@test "'++'" { rejected increment; }
@test "operators of C" { rejected c-operators; }
@test "two operands in a row" { rejected two-operands; }
@test "a missing operand" { rejected missing-operand; }
@test "a keyword as a name" { rejected keyword-name; }
@test "malformed parameter lists" { rejected params; }
@test "malformed arguments" { rejected arguments; }
@test "statements out of place" { rejected placement; }
@test "malformed imports" { rejected imports; }
@test "malformed try statements" { rejected try; }
@test "clauses without their statement" { rejected orphans; }
@test "malformed escapes" { rejected escapes; }
@test "malformed f-strings" { rejected fstrings; }
@test "a decorator without a function" { rejected decorator; }
@test "malformed patterns" { rejected pattern; }
@test "text after a line continuation" { rejected continuation; }
@test "a dict entry without a value" { rejected dict; }
@test "a lambda without ':'" { rejected lambda; }
@test "something after a statement" { rejected after-statement; }
@test "brackets nested too deep" { rejected deep-brackets; }
@test "operators nested too deep" { rejected deep-unary; }
@test "'not' nested too deep" { rejected deep-not; }
@test "a chain of too many operators" { rejected long-chain; }
@test "a chain of too many attributes" { rejected long-attributes; }
@test "blocks nested too deep" { rejected deep-blocks; }
@test "f-strings nested too deep" { rejected deep-fstrings; }
@test "too many errors" { rejected many-errors; }
@test "independent errors are all reported" { rejected several; }

@test "a NUL byte" {
    printf 'x = 1\ny = \0002\n' >nul.py
    tritcc -1 nul.py -emit=ast=-
    [[ $errors == "nul.py:2:5: error: the file holds a NUL byte"*TRI-2002* ]]
}

@test "bytes that are not UTF-8" {
    printf 'x = 1\ny = "\xff"\n' >bytes.py
    tritcc -1 bytes.py -emit=ast=-
    [[ $errors == "bytes.py:2:6: error: byte 0xff is not UTF-8"*TRI-2002* ]]
}

@test "another encoding that the file declares" {
    printf '# -*- coding: latin-1 -*-\ny = "\xe9"\n' >latin.py
    tritcc -1 latin.py -emit=ast=-
    [[ $errors == "latin.py:2:6: error: byte 0xe9 is not UTF-8, and the encoding that the file declares is not supported"* ]]
}

@test "a program that is no text" {
    cp "$TRITCC" program.py
    tritcc -1 program.py -emit=ast=-
    [[ $errors == "program.py:"*"error: "*TRI-2002* ]]
}
