import { nearestWord } from './nearest-word.js';
import { type OptionRule, shown } from './option-rule.js';
import { SURFACES } from './surface.js';

/** An array of surface ids. */
export const surfacesRule: OptionRule = (candidate, path, report) => {
  if (!Array.isArray(candidate)) {
    report(
      'OPTION_INVALID',
      `\`${path}\` is ${shown(candidate)}`,
      `Set it to an array of ${SURFACES.join(', ')}; an empty one reaches nothing`,
    );
    return;
  }
  for (const id of candidate as readonly unknown[]) {
    if ((SURFACES as readonly unknown[]).includes(id)) continue;
    const near = typeof id === 'string' ? nearestWord(id, SURFACES) : undefined;
    report(
      'SURFACE_UNKNOWN',
      `\`${path}\` names the surface ${shown(id)}, which does not exist`,
      near === undefined
        ? `Choose from ${SURFACES.join(', ')}`
        : `Did you mean '${near}'? The surfaces are ${SURFACES.join(', ')}`,
    );
  }
};
