// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The code behind the tracepoints; see trace.h.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
