// One process of server.ts for each of CPUS; Linux shares the connections out among them (SO_REUSEPORT).

const servers: Bun.Subprocess[] = [];
let exitCode = 1; // unless it is told to stop

function stop() {
  for (const server of servers) server.kill();
}

process.on("SIGTERM", () => {
  exitCode = 0;
  stop();
});

const count = Number(process.env.CPUS) || navigator.hardwareConcurrency;
const command = [process.execPath, "--no-install", `${import.meta.dir}/server.ts`];
const env = { ...process.env, REUSE_PORT: "1" };
for (let i = 0; i < count; i++) servers.push(Bun.spawn(command, { env, stdio: ["ignore", "inherit", "inherit"] }));

// Where one ends, all do: none is missing unnoticed.
await Promise.race(servers.map((server) => server.exited));
stop();
await Promise.all(servers.map((server) => server.exited));
process.exit(exitCode);
