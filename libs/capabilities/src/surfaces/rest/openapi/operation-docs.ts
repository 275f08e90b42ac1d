import type { FactoryProvider, Type } from '@nestjs/common';
import { mapName } from '../../../contract/capability-name.js';
import type { PipelinePorts } from '../../../execution/pipeline-ports.js';
import { isRecord, type JsonSchema } from '../../../kernel/json.js';
import { REST_OPTIONS, type ResolvedRestOptions } from '../rest-options.js';
import { type CapabilityRoute, queryFields } from '../routes/capability-route.js';
import { ComponentModels, type DocumentedSchema } from './component-models.js';
import { errorResponses } from './error-responses.js';
import { APPROVAL_REQUIRED } from './library-schemas.js';
import { bodySchema, parameterSchema } from './request-schemas.js';
import { loadSwagger, type SwaggerDecorators } from './swagger-decorators.js';

/** `CapabilitiesModule`'s ports, by their shared token. */
const PIPELINE_PORTS = Symbol.for('nest-capabilities.PipelinePorts');

const EXECUTION_ID = {
  'X-Execution-Id': { description: 'Names this call in logs and audit.', schema: { type: 'string' } },
};

/** Documents generated operations with the decorators of `@nestjs/swagger`. */
export class OperationDocs {
  private readonly components: ComponentModels | undefined;

  constructor(
    private readonly swagger: SwaggerDecorators | undefined,
    private readonly documented: boolean,
    /** True when the application has policies of its own: any of them may demand an approval. */
    private readonly hasPolicies: boolean,
  ) {
    this.components = swagger && new ComponentModels(swagger);
  }

  /** Hides a whole controller. */
  excludeController(): ClassDecorator | undefined {
    return this.swagger?.ApiExcludeController();
  }

  /** The tag of a host's operations, when the host has none of its own: the namespace of its names. */
  controllerTag(routes: readonly CapabilityRoute[], fallback: string): ClassDecorator | undefined {
    const [name = ''] = routes.map(({ definition }) => definition.name);
    const dot = name.lastIndexOf('.');
    return this.swagger?.ApiTags(dot === -1 ? fallback : name.slice(0, dot));
  }

  /** The decorators of one operation. */
  decorators(route: CapabilityRoute): readonly MethodDecorator[] {
    const { definition } = route;
    return this.operation(definition.http.document !== false, (swagger, components, use) => [
      swagger.ApiOperation(operation(route)),
      swagger.ApiExtension('x-capability', definition.name),
      ...(definition.tags.length > 0 ? [swagger.ApiTags(...definition.tags)] : []),
      ...security(route, swagger),
      ...request(route, swagger, components, use),
      ...responses(route, swagger, components, use),
      ...this.suspension(route, swagger, components, use),
    ]);
  }

  /** The 202 of an operation whose own options or whose policies may ask for a decision. */
  private suspension(
    { definition }: CapabilityRoute,
    swagger: SwaggerDecorators,
    components: ComponentModels,
    use: Use,
  ): readonly MethodDecorator[] {
    const { approval, policies } = definition;
    if (approval.required !== true && policies.length === 0 && !this.hasPolicies) return [];
    const schema = use(components.own('CapabilityApprovalRequired', APPROVAL_REQUIRED));
    const description = 'Waits for a decision; nothing has run.';
    return [swagger.ApiResponse({ status: 202, description, headers: EXECUTION_ID, schema })];
  }

  /** The decorators of an operation that `describe` documents; one that hides it where it is not wanted. */
  operation(wanted: boolean, describe: DescribeOperation): readonly MethodDecorator[] {
    const { swagger, components } = this;
    if (swagger === undefined || components === undefined) return [];
    if (!this.documented || !wanted) return [swagger.ApiExcludeEndpoint()];
    const models = new Set<Type<object>>();
    const use = ({ schema, models: needed }: DocumentedSchema): JsonSchema => {
      for (const model of needed) models.add(model);
      return schema;
    };
    return [...describe(swagger, components, use), swagger.ApiExtraModels(...models)];
  }
}

/** Loads `@nestjs/swagger` before any route is generated. */
export const operationDocsProvider: FactoryProvider<OperationDocs> = {
  provide: OperationDocs,
  inject: [REST_OPTIONS, PIPELINE_PORTS],
  useFactory: async ({ document }: ResolvedRestOptions, { policies }: Pick<PipelinePorts, 'policies'>) =>
    new OperationDocs(await loadSwagger(), document, policies.length > 0),
};

/** Takes the schema of a documented schema, and its components into the document. */
export type Use = (documented: DocumentedSchema) => JsonSchema;

/** Documents one operation. */
export type DescribeOperation = (
  swagger: SwaggerDecorators,
  components: ComponentModels,
  use: Use,
) => readonly MethodDecorator[];

function operation({ definition }: CapabilityRoute): Record<string, unknown> {
  const { deprecated, description } = definition;
  return {
    operationId: mapName(definition.name),
    summary: definition.title,
    description: typeof deprecated === 'string' ? `${description}\n\nDeprecated: ${deprecated}` : description,
    ...(deprecated === false ? {} : { deprecated: true }),
  };
}

/** A capability without a permission may also be called without credentials. */
function security({ definition }: CapabilityRoute, swagger: SwaggerDecorators): readonly MethodDecorator[] {
  const bearer = swagger.ApiSecurity({ bearer: [] });
  // Decorators prepend nothing: the requirement that is tried first comes first.
  return definition.permission === null ? [bearer, swagger.ApiSecurity({})] : [bearer];
}

function request(
  route: CapabilityRoute,
  swagger: SwaggerDecorators,
  components: ComponentModels,
  use: Use,
): readonly MethodDecorator[] {
  const { definition, pathParameters, readsQuery } = route;
  const example = isRecord(definition.http.example) ? definition.http.example : {};
  const parameter = (name: string): Record<string, unknown> => ({
    name,
    ...parameterSchema(definition.input, name, Object.hasOwn(example, name) ? example[name] : undefined),
  });
  const inPath = pathParameters.map((name) => swagger.ApiParam({ ...parameter(name), required: true }));
  const inQuery = queryFields(route).map((name) =>
    swagger.ApiQuery({ ...parameter(name), required: definition.input.required.has(name) }),
  );
  if (readsQuery) return [...inPath, ...inQuery];
  const body = Object.fromEntries(Object.entries(example).filter(([name]) => !pathParameters.includes(name)));
  return [
    ...inPath,
    swagger.ApiBody({
      schema: use(components.document(definition.input, bodySchema(route))),
      required: [...definition.input.required].some((name) => !pathParameters.includes(name)),
      ...(Object.keys(body).length > 0 ? { examples: { example: { value: body } } } : {}),
    }),
  ];
}

function responses(
  route: CapabilityRoute,
  swagger: SwaggerDecorators,
  components: ComponentModels,
  use: Use,
): readonly MethodDecorator[] {
  const { output } = route.definition;
  const headers = EXECUTION_ID;
  const done = { status: 200, description: 'The output.', headers };
  const empty = swagger.ApiResponse({ status: 204, description: 'Done; nothing is returned.', headers });
  return [
    ...(output === undefined ? [swagger.ApiResponse({ ...done, schema: {} }), empty] : []),
    ...(output?.nothing === true ? [empty] : []),
    ...(output?.nothing === false
      ? [swagger.ApiResponse({ ...done, schema: use(components.document(output)) })]
      : []),
    ...errorResponses(route, components).map((error) => {
      const { status, description } = error;
      return swagger.ApiResponse({ status, description, schema: use(error) });
    }),
  ];
}
