set pagination off
break _ZN8mb_eigen6sparse7problem7Problem6factor17h15d71324d5847519E
commands
silent
printf "factor a=%.9g\n", $xmm0.v2_double[0]
cont
end
break _ZN8mb_eigen6sparse8approach4look17h022601406878dd74E
commands
silent
printf "look\n"
cont
end
break _ZN10mb_algebra6saddle6factor12SaddleFactor16solve_block_into17h0864deb646eea7fcE
commands
silent
printf "solve\n"
cont
end
break _ZN8mb_eigen6krylov7lanczos5solve17h7aa588e1f2e549baE
commands
silent
printf "lanczos\n"
cont
end
run run g1e5 > /dev/null
