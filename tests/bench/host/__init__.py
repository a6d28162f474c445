# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The part of the benchmark that runs on the host: builds, boots, reports."""
