/** The closed set of startup problems. */
export type DeclarationProblemCode =
  | 'OPTION_MISSING'
  | 'OPTION_INVALID'
  | 'OPTION_UNKNOWN'
  | 'NAME_INVALID'
  | 'NAME_DUPLICATE'
  | 'NAME_COLLISION'
  | 'SURFACE_UNKNOWN'
  | 'SIDE_EFFECT_UNCLEAR'
  | 'DURATION_INVALID'
  | 'LIMIT_INVALID'
  | 'RETRY_UNSAFE'
  | 'GET_ON_WRITE'
  | 'ROUTE_INVALID'
  | 'ROUTE_DUPLICATE'
  | 'PATH_PARAMETER_UNKNOWN'
  | 'QUERY_PARAMETER_INVALID'
  | 'FIELD_UNKNOWN'
  | 'CONSTRAINT_TRANSFORMS'
  | 'POLICY_INVALID'
  | 'POLICY_DUPLICATE'
  | 'APPROVERS_TOO_FEW'
  | 'APPROVAL_UNDESCRIBED'
  | 'APPROVAL_UNSUPPORTED'
  | 'RELOAD_MISSING'
  | 'STEP_UP_MISSING'
  | 'ARGS_WITHOUT_SCHEMA'
  | 'INPUT_ERASED'
  | 'SCHEMA_UNCONVERTIBLE'
  | 'POLICY_MISSING'
  | 'GUARD_UNRESOLVED'
  | 'INTERCEPTOR_UNRESOLVED'
  | 'PIPE_ON_CAPABILITY'
  | 'ROUTE_MISSING'
  | 'HOST_INVALID'
  | 'HOST_REPEATED'
  | 'MODULE_REPEATED'
  | 'MCP_INVALID'
  | 'ASSISTANT_INVALID';

/** Where a declaration stands in the source. */
export interface DeclarationPlace {
  /** The capability's name, or `Class.method` when it has none. */
  readonly capability: string;
  readonly className: string;
  readonly methodName: string;
}

/** One reason not to start, with what to change. */
export interface DeclarationProblem extends DeclarationPlace {
  readonly code: DeclarationProblemCode;
  readonly problem: string;
  readonly remedy: string;
}
