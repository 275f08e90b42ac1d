import type { CatalogueBudget } from '../../catalogue/catalogue-summary.js';
import { resolveBudget } from '../../catalogue/catalogue-summary.js';
import { nameProblem } from '../../contract/capability-name.js';
import type { CapabilityView } from '../../contract/capability-view.js';
import type { RegisteredPermission } from '../../contract/register.js';
import type { SurfaceId } from '../../contract/surface.js';
import type { ProgramLimits } from './sandbox/sandbox.js';

/** Options of `CodeModeModule.forRoot` that are values. */
export interface CodeModeValueOptions {
  /** Surfaces that serve `search` and `execute`; never `'code-mode'` itself, which is the surface of a program's calls. */
  readonly expose: readonly SurfaceId[];
  /** Who may search and run programs; `null` must be written out for anyone. Every call of a program is checked by itself. */
  readonly permission: RegisteredPermission | null;
  /** Prefix of the two names. Default `'code'`: `code.search` and `code.execute`. */
  readonly namespace?: string;
  /** Leaves out everything that is not read-only. Default false. */
  readonly readOnly?: boolean;
  /** Names of capabilities that programs cannot see or call, whatever they are exposed on. */
  readonly exclude?: readonly string[];
  /** False leaves a capability out. */
  readonly filter?: (capability: CapabilityView) => boolean;
  /** How much of the catalogue an overview shows. Default 2 000 estimated tokens. */
  readonly catalogue?: CatalogueBudget;
  readonly limits?: Partial<ProgramLimits>;
  /** Programs that run at the same time in this process; more are refused as unavailable. Default 4. */
  readonly programs?: number;
  /** Milliseconds for which a program that stopped can go on. Default 86 400 000 (24 h). */
  readonly resumeWithin?: number;
}

/** Options with every default applied. */
export interface ResolvedCodeModeOptions {
  readonly expose: readonly SurfaceId[];
  readonly permission: RegisteredPermission | null;
  readonly namespace: string;
  readonly readOnly: boolean;
  readonly exclude: readonly string[];
  readonly filter: (capability: CapabilityView) => boolean;
  readonly catalogue: CatalogueBudget;
  readonly limits: ProgramLimits;
  readonly programs: number;
  readonly resumeWithin: number;
}

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const DEFAULT_LIMITS: ProgramLimits = Object.freeze({
  memoryBytes: 32 * MIB,
  cpuMs: 5_000,
  wallClockMs: 30_000,
  calls: 100,
  outputBytes: 64 * 1024,
});
/** Least and most of each limit: below, nothing could run; above, timers and buffers overflow. */
const LIMIT_RANGES: Readonly<Record<keyof ProgramLimits, readonly [least: number, most: number]>> = {
  memoryBytes: [8 * MIB, 2 ** 31 - 1],
  cpuMs: [1, 2 ** 31 - 1],
  wallClockMs: [1, 2 ** 31 - 1],
  calls: [0, 10_000],
  outputBytes: [0, 64 * MIB],
};

/** Applies the defaults; what is wrong is told by {@link codeModeProblems}. */
export function resolveCodeModeOptions(options: CodeModeValueOptions): ResolvedCodeModeOptions {
  return {
    expose: options.expose,
    permission: options.permission,
    namespace: options.namespace ?? 'code',
    readOnly: options.readOnly ?? false,
    exclude: options.exclude ?? [],
    filter: options.filter ?? (() => true),
    catalogue: options.catalogue ?? {},
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    programs: options.programs ?? 4,
    resumeWithin: options.resumeWithin ?? DAY_MS,
  };
}

export interface OptionProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** Why the application must not start with these options. `names` are the capabilities it has. */
export function codeModeProblems(
  options: ResolvedCodeModeOptions,
  names: ReadonlySet<string>,
): readonly OptionProblem[] {
  const { expose, namespace, exclude } = options;
  const problems: OptionProblem[] = [];
  const add = (problem: string, remedy: string): void => void problems.push({ problem, remedy });
  if (expose.includes('code-mode'))
    add('`expose` names code-mode, so that programs would run programs', 'Name the surfaces that serve it');
  const bad = nameProblem(namespace);
  if (bad !== undefined)
    add(`\`namespace\` cannot prefix a name: ${bad}`, 'Choose letters, digits, "_", "-" and dots');
  for (const name of exclude)
    if (!names.has(name))
      add(`\`exclude\` names ${name}, which does not exist`, 'Correct the name or remove it');
  return [...problems, ...numberProblems(options)];
}

function numberProblems({
  limits,
  programs,
  resumeWithin,
  catalogue,
}: ResolvedCodeModeOptions): readonly OptionProblem[] {
  const problems: OptionProblem[] = [];
  const check = (name: string, value: number, least: number, most: number): void => {
    if (Number.isSafeInteger(value) && value >= least && value <= most) return;
    problems.push({
      problem: `\`${name}\` is ${String(value)}`,
      remedy: `Give an integer from ${least} to ${most}`,
    });
  };
  for (const [name, [least, most]] of Object.entries(LIMIT_RANGES))
    check(`limits.${name}`, limits[name as keyof ProgramLimits], least, most);
  check('programs', programs, 1, 1_000);
  check('resumeWithin', resumeWithin, 1, Number.MAX_SAFE_INTEGER);
  try {
    resolveBudget(catalogue);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    problems.push({
      problem: `\`catalogue\`: ${reason}`,
      remedy: 'Give a number of tokens, or leave it out',
    });
  }
  return problems;
}
