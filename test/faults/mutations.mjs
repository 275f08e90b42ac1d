// The mutation table: removes one safeguard at a time from a copy of the sources and runs the cases that must
// notice. `node test/faults/mutations.mjs [name]`. Needs PostgreSQL. The working tree is never touched.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const FAULTS = 'test/faults/cases/faults.ts';
const LIBRARY = 'libs/capabilities/src';

/** `edit` is a list of [text, replacement]; each text must stand in the file exactly once. */
const MUTATIONS = [
  {
    name: 'claim predicate (SQL)',
    file: 'stores/sql/sql-take.ts',
    edit: [["where id = $1 and state = 'approved' and execute_by >", 'where id = $1 and execute_by >']],
    cases: [['postgres', 'B06']],
  },
  {
    name: 'claim predicate (memory)',
    file: 'stores/memory/memory-store.ts',
    edit: [["    if (reason !== undefined) return { status: 'refused', reason, record };\n", '']],
    also: [
      {
        file: 'stores/memory/memory-state.ts',
        edit: [['if (to !== from && !canMove(from, to))', 'if (false as boolean)']],
      },
    ],
    cases: [['memory', 'B06']],
  },
  {
    name: 'expiry re-check after the lock',
    file: 'stores/sql/sql-take.ts',
    edit: [
      [
        "state = 'approved' and execute_by > ${sqlNow(3)}\n",
        "state = 'approved' and $3::float8 is not null\n",
      ],
    ],
    cases: [['postgres', 'old-expiry-under-lock', FAULTS]],
  },
  {
    name: 'self-approval, when deciding',
    file: 'approvals/approver-rules.ts',
    edit: [["    if (isSelfApproval(principal, record)) throw new CapabilityError('SELF_APPROVAL');\n", '']],
    cases: [
      ['memory', 'B08'],
      ['postgres', 'B08'],
    ],
  },
  {
    name: 'self-approval, when executing',
    file: 'approvals/approval-gate.ts',
    edit: [['if (isSelfApproval(principalRef(voter), now))', 'if (false as boolean)']],
    cases: [['memory', 'old-self', FAULTS]],
  },
  {
    name: 'SAME_CREDENTIAL, agents',
    file: 'approvals/approver-rules.ts',
    edit: [["if (principal.kind !== 'user' || isSameCredential(", 'if (isSameCredential(']],
    cases: [
      ['memory', 'B08'],
      ['postgres', 'B08'],
    ],
  },
  {
    name: 'SAME_CREDENTIAL, the credential that asked',
    file: 'approvals/approver-rules.ts',
    edit: [
      [
        "if (principal.kind !== 'user' || isSameCredential(principal, record.requester)) {",
        "if (principal.kind !== 'user') {",
      ],
    ],
    cases: [['memory', 'same-credential', FAULTS]],
  },
  {
    name: 'audit before effect, every sink',
    file: 'execution/call-journal.ts',
    edit: [
      [
        'if (!record.plan!.effect) return recorder.record(event);',
        'if (event !== undefined) return recorder.record(event);',
      ],
    ],
    cases: [
      ['memory', 'audit-down', FAULTS],
      ['postgres', 'audit-down', FAULTS],
    ],
  },
  {
    name: 'audit before effect, `started` in the take (SQL)',
    file: 'stores/sql/sql-take.ts',
    edit: [
      [
        '    if (refused !== undefined) return refused;\n  }\n  await tx.append(started);\n',
        '    if (refused !== undefined) return refused;\n  }\n  markStored(started);\n',
      ],
    ],
    imports: "import { markStored } from '../../audit/stored-audit.js';\n",
    cases: [['postgres', 'B01']],
  },
  {
    name: 'key scoping, principal',
    file: 'execution/stages/look-up-key.ts',
    edit: [['principal: keyPrincipal(principal),', "principal: keyPrincipal({ kind: 'user', id: 'any' }),"]],
    cases: [
      ['memory', 'B04'],
      ['postgres', 'B04'],
    ],
  },
  {
    name: 'key scoping, capability',
    file: 'execution/stages/look-up-key.ts',
    edit: [['capability: definition.name,', "capability: 'any',"]],
    cases: [
      ['memory', 'B04'],
      ['postgres', 'B04'],
    ],
  },
  {
    name: 'the stored value (parsed a second time)',
    file: 'execution/run-stages.ts',
    edit: [
      [
        'return runTaken(record, stored, undefined, ports, journal);',
        "return Promise.resolve(parseInput(record.definition, stored, 'direct')).then((again) =>\n" +
          '    runTaken(record, again, undefined, ports, journal),\n  );',
      ],
    ],
    cases: [['postgres', 'value-transformed', FAULTS]],
  },
  {
    name: 'the fingerprint',
    file: 'approvals/approval-refusal.ts',
    edit: [['record.fingerprint === now.fingerprint && record.policyVersion', 'record.policyVersion']],
    cases: [
      ['memory', 'old-schema', FAULTS],
      ['postgres', 'old-schema', FAULTS],
    ],
  },
  {
    name: 'the policy version',
    file: 'approvals/approval-refusal.ts',
    edit: [
      [
        'record.fingerprint === now.fingerprint && record.policyVersion === now.policyVersion',
        'record.fingerprint === now.fingerprint',
      ],
    ],
    cases: [['memory', 'old-policy-version', FAULTS]],
  },
  {
    name: 'disabled approvers',
    file: 'approvals/approval-gate.ts',
    edit: [
      [
        "if (voter === undefined) return this.voidRecord(record, 'An approver is disabled.');",
        'if (voter === undefined) continue;',
      ],
    ],
    cases: [
      ['memory', 'B14'],
      ['memory', 'old-approver', FAULTS],
    ],
  },
];

const copy = mkdtempSync(join(tmpdir(), 'mutations-'));
try {
  prepare();
  process.exitCode = table(process.argv[2]);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** A copy of everything that the battery loads. */
function prepare() {
  const paths = [
    LIBRARY,
    'libs/capabilities/package.json',
    'package.json',
    'src',
    'test/battery',
    'test/faults',
    'test/mcp/fixture',
  ];
  for (const path of paths) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Prints one row a mutation; the exit code is 0 when every mutation turned a case red that is green without it. */
function table(only) {
  const chosen = MUTATIONS.filter(({ name }) => only === undefined || name.includes(only));
  // A safeguard that was rewritten is told at once.
  for (const mutation of chosen) apply(mutation)();
  const baseline = new Map();
  for (const each of new Set(chosen.flatMap(({ cases }) => cases.map(String)))) {
    baseline.set(each, run(each.split(',')));
  }
  console.log('| safeguard removed | cases | without the mutation | with it |\n|---|---|---|---|');
  let survived = 0;
  for (const mutation of chosen) {
    const keys = mutation.cases.map(String);
    const undo = apply(mutation);
    const results = keys.map((key) => run(key.split(',')));
    undo();
    const green = keys.map((key) => baseline.get(key));
    if (!keys.some((_, index) => green[index] === 'green' && results[index] === 'red')) survived++;
    const names = mutation.cases.map(([store, id]) => `${id} (${store})`).join(', ');
    console.log(`| ${mutation.name} | ${names} | ${green.join(', ')} | ${results.join(', ')} |`);
  }
  console.log(`${chosen.length - survived} passed, ${survived} failed`);
  return survived === 0 ? 0 : 1;
}

/** Patches the copy; returns how to undo that. */
function apply({ file, edit, imports = '', also = [] }) {
  const undos = [{ file, edit }, ...also].map((each, index) => {
    const path = join(copy, LIBRARY, each.file);
    const before = readFileSync(path, 'utf8');
    let after = before;
    for (const [text, replacement] of each.edit) {
      if (after.split(text).length !== 2) throw new Error(`${each.file} does not hold exactly once: ${text}`);
      after = after.replace(text, () => replacement);
    }
    writeFileSync(path, (index === 0 ? imports : '') + after);
    return () => writeFileSync(path, before);
  });
  return () => undos.forEach((undo) => undo());
}

/** `green` or `red` when the case ran; anything else is a fault of the mutation. */
function run([store, id, file]) {
  const args = ['--no-warnings', 'test/battery/run.mjs', '--store', store, '--case', id];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    file === undefined ? args : [...args, '--file', file],
    {
      cwd: copy,
      encoding: 'utf8',
      timeout: 180_000,
    },
  );
  if (/^ok /m.test(stdout)) return 'green';
  if (/^FAIL /m.test(stdout)) return 'red';
  throw new Error(`${id} on ${store} did not run:\n${stdout}${stderr}`);
}
