# uninstalled.sh -- for scripts that compile like a user: what pkg-config says of
# the library in $BUILD.  Source it, then: uninstalled FOLDER
uninstalled() {
    cat >"$1/raddle.pc" <<END
Name: raddle
Description: the one just built
Version: 0
Cflags: -I$SOURCE/include
Libs: -L$BUILD/lib -Wl,-rpath,$BUILD/lib -lraddle
END
    export PKG_CONFIG_PATH=$1
}
