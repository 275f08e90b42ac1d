/**
 * Augment to type the application's user, permission strings and capabilities everywhere:
 *
 * ```ts
 * declare module 'nest-capabilities' {
 *   interface Register { user: AppUser; permission: AppPermission; capabilities: AppCapabilities }
 * }
 * ```
 */
// eslint-disable-next-line typescript/no-empty-interface -- filled by module augmentation
export interface Register {}

/** The application's user type, `unknown` until registered. */
export type RegisteredUser = Register extends { user: infer U } ? U : unknown;

/** The application's permission strings, `string` until registered. */
export type RegisteredPermission = Register extends { permission: infer P extends string } ? P : string;

/** Map of capability name to `{ input; output }`, empty until registered. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- empty is what it says
export type RegisteredCapabilities = Register extends { capabilities: infer C } ? C : Record<never, never>;
