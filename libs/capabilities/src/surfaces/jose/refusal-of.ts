import { errors } from 'jose';
import { CapabilityError } from '../../errors/capability-error.js';
import { TokenRefusedError, type TokenRefusal } from './token-refused-error.js';

const BY_CLAIM: Readonly<Record<string, TokenRefusal>> = {
  iss: 'issuer',
  aud: 'audience',
  nbf: 'not_yet_valid',
};

function claimRefusal(error: errors.JWTClaimValidationFailed): TokenRefusal {
  if (error.reason === 'missing') return 'missing_claim';
  return BY_CLAIM[error.claim] ?? 'invalid_claim';
}

/** Turns what `jose` throws into a refusal of the token, or into UNAVAILABLE when the keys could not be fetched. */
export function refusalOf(error: unknown): CapabilityError {
  if (error instanceof CapabilityError) return error;
  if (error instanceof errors.JWTExpired) return new TokenRefusedError('expired', error);
  if (error instanceof errors.JWTClaimValidationFailed)
    return new TokenRefusedError(claimRefusal(error), error);
  if (error instanceof errors.JOSEAlgNotAllowed) return new TokenRefusedError('algorithm', error);
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return new TokenRefusedError('signature', error);
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return new TokenRefusedError('unknown_key', error);
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return new TokenRefusedError('malformed', error);
  }
  if (error instanceof errors.JOSENotSupported) return new TokenRefusedError('algorithm', error);
  return new CapabilityError('UNAVAILABLE', {
    message: 'The keys that verify bearer tokens are unavailable.',
    cause: error,
  });
}
