// One subject of bench/mcp.mjs: `node bench/mcp-server.mjs SUBJECT TOOLS`. Tells its port and, when asked, its CPU time.
import { SUBJECTS } from './mcp-subjects.mjs';

const [, , subject, tools] = process.argv;
process.on('message', () => process.send({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send({ port: await SUBJECTS[subject].start(Number(tools)) });
