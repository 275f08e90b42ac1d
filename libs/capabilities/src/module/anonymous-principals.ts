import { ANONYMOUS, type Principal } from '../kernel/principal.js';
import { PrincipalResolver } from '../policies/principal-resolver.js';

/** The resolver of an application that configured none: everyone is anonymous. */
export class AnonymousPrincipals extends PrincipalResolver {
  resolve(): Principal<never> {
    return ANONYMOUS as Principal<never>;
  }
}
