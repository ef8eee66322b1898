# The network, and sockets that are none.
# shellcheck shell=sh disable=SC2016
attempt 'TCP' <<'END'
"$REACH" tcp "$PORT"
END
attempt 'TCP, IPv6' control=may:'not every machine has it' <<'END'
"$REACH" tcp6 "$PORT6"
END
attempt 'TCP, with the first bytes' <<'END'
"$REACH" fastopen "$PORT" || "$REACH" tcp "$PORT"
END
attempt 'TCP of many paths' control=may:'not every kernel has it' <<'END'
"$REACH" mptcp "$PORT"
END
attempt 'TCP by bash' needs=bash <<'END'
export PORT; bash -c 'echo x >/dev/tcp/127.0.0.1/$PORT'
END
attempt 'TCP by curl' needs=curl <<'END'
curl -s -m 1 "http://127.0.0.1:$PORT/"
END
attempt 'TCP by python' needs=python3 <<'END'
python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$PORT"
END
attempt 'UDP' <<'END'
"$REACH" udp "$UPORT"; sleep 0.1
END
attempt 'a port is opened to others' <<'END'
"$REACH" listen "$FREE"
END
attempt 'a port is opened without bind' full=no:'in a network of its own' <<'END'
"$REACH" listen_any | sed s/LISTENS/REACHED/
END
attempt 'raw packets' control=root <<'END'
"$REACH" raw; "$REACH" packet
END
attempt 'the virtual machine around us' control=may:'not every machine is one' <<'END'
"$REACH" vsock
END
attempt 'interfaces of the machine' control=may:'there may be none' <<'END'
"$REACH" netlink; cat /proc/net/route /proc/net/arp 2>/dev/null | grep -v '^IP\|^Iface' && echo REACHED routes
END
attempt 'a unix socket' <<'END'
"$REACH" unix "$SOCKET"
END
attempt 'a unix socket by a link' <<'END'
ln -s "$SOCKET" sock; "$REACH" unix sock
END
attempt 'a unix socket without a path' bare=6 <<'END'
"$REACH" abstract "$ABSTRACT"
END
attempt 'a message to a unix socket' bare=6 <<'END'
"$REACH" dgram "$ABSTRACT-dgram"; sleep 0.1
END
attempt 'a unix socket for others' bare=6 <<'END'
"$REACH" abstract_listen "$ABSTRACT-back"
END
attempt 'a unix socket, with the network' opts=--net <<'END'
"$REACH" unix "$SOCKET"
END
attempt 'a unix socket without a path, with the network' opts=--net bare=6 <<'END'
"$REACH" abstract "$ABSTRACT"
END
attempt 'a message to a unix socket, with the network' opts=--net bare=6 <<'END'
"$REACH" dgram "$ABSTRACT-dgram"; sleep 0.1
END
attempt 'files, with the network' opts=--net <<'END'
cat "$OUT/secret" "$QUIRE_DATA_DIR/secret"; echo x >>"$OUT/change"
END
attempt 'signals, with the network' opts=--net bare=6 <<'END'
"$REACH" kill "$WPID" 10; "$REACH" pidfd "$WPID" 10
END
attempt 'raw packets, with the network' opts=--net control=root <<'END'
"$REACH" raw; "$REACH" packet
END
