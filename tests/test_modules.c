/* test_modules.c -- programs and libraries in memory. */
#include "port/modules.h"

#include "control/sched/calls.h"
#include "control/sched/seen.h"
#include "harness.h"

TEST(a_library_is_known_by_its_whole_name)
{
    EXPECT(rdl__module_is_named("libm.so", "libm.so"));
    EXPECT(rdl__module_is_named("/lib/x86_64-linux-gnu/libm.so.6", "libm.so"));
    EXPECT(rdl__module_is_named("/usr/lib/libstdc++.so.6.0.30", "libstdc++.so"));
    EXPECT(rdl__module_is_named("libnss_files.so.2", "libnss_"));
    EXPECT(!rdl__module_is_named("/home/me/libm.sound.so.1", "libm.so"));
    EXPECT(!rdl__module_is_named("/home/me/libm.so.sound", "libm.so"));
    EXPECT(!rdl__module_is_named("/lib/libm.so.6/libz.so.1", "libm.so"));
}

TEST(libraries_of_others_with_similar_names_are_not_known)
{
    EXPECT(rdl__is_known_library("/lib/x86_64-linux-gnu/libm.so.6"));
    EXPECT(!rdl__is_known_library("./libm.sound.so.1"));
    EXPECT(!rdl__is_known_library("./libartisan.so.1"));
    EXPECT(!rdl__module_is_runtime("./libm.sound.so.1"));
    EXPECT(!rdl__module_is_runtime("./libpthreadpool.so.1"));
    EXPECT(!rdl__module_is_runtime("./libunwinder.so"));
    EXPECT_EQ(rdl__call_effect("play", "libm.sound.so.1"), RDL__EFFECT_UNKNOWN);
}
