/** The part of JSON Schema that the generator reads. */
export interface InputSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly required?: readonly string[];
  readonly items?: InputSchema;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly oneOf?: readonly InputSchema[];
  readonly anyOf?: readonly InputSchema[];
  readonly allOf?: readonly InputSchema[];
  readonly $defs?: Readonly<Record<string, InputSchema>>;
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05.000Z',
  date: '2026-01-02',
  email: 'someone@example.com',
  uuid: '6f1c2c1e-7f43-4e0a-9a51-0d7f3f6f2a11',
  uri: 'https://example.com/',
};

/** A value the schema accepts: its example where it has one, else the smallest that fits. Only required fields are set. */
export function validInput(schema: InputSchema, root: InputSchema = schema): unknown {
  const [example] = schema.examples ?? [];
  for (const given of [schema.const, schema.example, example, schema.default, schema.enum?.[0]]) {
    if (given !== undefined) return given;
  }
  if (schema.$ref !== undefined) return validInput(resolve(schema.$ref, root), root);
  const [branch] = schema.oneOf ?? schema.anyOf ?? [];
  if (branch !== undefined) return validInput(branch, root);
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((part) => validInput(part, root)));
  }
  return byType(schema, root);
}

function byType(schema: InputSchema, root: InputSchema): unknown {
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
  switch (type) {
    case 'object': {
      const required = (schema.required ?? []).map((name) => [
        name,
        validInput(schema.properties?.[name] ?? {}, root),
      ]);
      return Object.fromEntries(required);
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => validInput(schema.items ?? {}, root));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return FORMATS[schema.format ?? ''] ?? 'x'.repeat(Math.max(1, schema.minLength ?? 1));
  }
}

function resolve(ref: string, root: InputSchema): InputSchema {
  const name = ref.replace('#/$defs/', '');
  const found = root.$defs?.[name];
  if (found === undefined) throw new Error(`unresolved reference ${ref}`);
  return found;
}
