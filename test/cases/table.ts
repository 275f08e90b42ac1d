import { P01 } from './p01-discriminated-union.js';
import { P02 } from './p02-root-combinators.js';
import { P03 } from './p03-dates.js';
import { P04 } from './p04-output-transform.js';
import { P05 } from './p05-refinement.js';
import { P06 } from './p06-absent-arguments.js';
import { P07 } from './p07-misspelt-argument.js';
import { P08 } from './p08-shared-subschema.js';
import { P09 } from './p09-text-like-json.js';
import { P10 } from './p10-undeclared-output.js';
import { P11 } from './p11-readable-error.js';
import { P12 } from './p12-nothing-returned.js';
import { P13 } from './p13-internal-messages.js';
import { P14 } from './p14-odd-names.js';
import { P15 } from './p15-one-decision.js';
import { P16 } from './p16-guards.js';
import { P17 } from './p17-one-definition.js';
import { P18 } from './p18-no-credentials.js';
import { P19 } from './p19-identities.js';
import { P20 } from './p20-replaced-method.js';
import { P21 } from './p21-registrations.js';
import { P22 } from './p22-one-name.js';
import { P23 } from './p23-denied.js';
import { P24 } from './p24-these-arguments.js';
import type { PublicCase } from './public-case.js';

/** Every case that runs, in order of id. */
export const PUBLIC_CASES: readonly PublicCase[] = [
  P01,
  P02,
  P03,
  P04,
  P05,
  P06,
  P07,
  P08,
  P09,
  P10,
  P11,
  P12,
  P13,
  P14,
  P15,
  P16,
  P17,
  P18,
  P19,
  P20,
  P21,
  P22,
  P23,
  P24,
];
