export {
  JoseTokenVerifier,
  type AsymmetricAlgorithm,
  type JoseKeySource,
  type JoseTokenVerifierOptions,
} from './jose-token-verifier.js';
export { TokenRefusedError, type TokenRefusal } from './token-refused-error.js';
