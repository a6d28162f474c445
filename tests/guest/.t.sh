. /croce/tests/guest/.setup1.sh
echo 64 > /proc/sys/vm/nr_hugepages
cd /usr/share/croce/rdma-core-tests/tests
for f in test_*.py; do m=${f%.py}; timeout 200 python3 -B run_tests.py -v --dev croce0 $m > /out/$m.log 2>&1; done
cat /out/test_*.log | grep -cE "\.\.\. ok"; grep -hE "\.\.\. (ERROR|FAIL)" /out/test_*.log; grep -hE "\.\.\. skipped" /out/test_*.log | sed 's/.*skipped//' | sort | uniq -c | sort -rn | head -40
