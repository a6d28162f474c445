# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The benchmark: croce against rxe, siw and TCP in one guest, in one run."""
