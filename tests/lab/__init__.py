# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Finding and running croce's tests."""
