set -u
which cmake nvcc mpirun compute-sanitizer ncu; nvidia-smi topo -m | head -8
P=$(python3 -c "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])" 2>/dev/null)
[ -n "$P" ] || P=$(dirname $(dirname $(find / -name nccl.h -not -path '/proc/*' 2>/dev/null | head -1)))
echo nccl at $P; ls $P/lib* 2>/dev/null | head
S=solutions/06-iterative-solvers/10-multi-gpu.cu
L=$(ls $P/lib/libnccl.so* $P/lib64/libnccl.so* $P/lib/x86_64-linux-gnu/libnccl.so* 2>/dev/null | head -1)
nvcc -O3 -arch=native -lineinfo -I common $S -o /tmp/peer &
nvcc -O3 -arch=native -lineinfo -DWITH_NCCL -I common -I $P/include $S -L$(dirname $L) -l:libnccl.so.2 -Xlinker -rpath,$(dirname $L) -o /tmp/nccl &
wait
for x in nccl; do
echo "== $x"; timeout 90 /tmp/$x --check; echo "rc $?"
done
for x in nccl; do
timeout 120 /tmp/$x --bench --reps 20 --json $OUT/$x.json | tee $OUT/$x.txt; done
echo "== order of GPUs reversed"; CUDA_VISIBLE_DEVICES=3,2,1,0 timeout 60 /tmp/nccl --check; echo rc $?
for t in memcheck racecheck initcheck synccheck; do CUDA_VISIBLE_DEVICES=0,1 timeout 60 compute-sanitizer --tool $t --error-exitcode 99 /tmp/peer --check --n 64 > $OUT/$t.log 2>&1; echo $t $?; tail -3 $OUT/$t.log; done
for k in 1 2 3 4; do nvcc -O3 -arch=native -DWITH_NCCL -DWITH_MPI -I common -I $P/include $(mpicc --showme:compile 2>/dev/null) $S -o /tmp/mpi -L$(dirname $L) -l:libnccl.so.2 -Xlinker -rpath,$(dirname $L) $(mpicc --showme:link | tr ' ' '\n' | grep '^-[Ll]' | tr '\n' ' ') 2>&1 | tail -3; break; done
for k in 1 2 3 4; do echo "== mpirun -np $k"; timeout 60 mpirun --allow-run-as-root --oversubscribe -np $k /tmp/mpi --check; echo rc $?; done
timeout 60 mpirun --allow-run-as-root --oversubscribe -np 4 /tmp/mpi --bench
