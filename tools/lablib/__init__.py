# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The croce lab: kernels, roots and guests, built and booted by tools/lab."""
