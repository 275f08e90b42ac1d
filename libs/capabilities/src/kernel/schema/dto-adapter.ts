import { plainToInstance, TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, validate } from 'class-validator';
import type { DtoClass, SchemaLike } from '../standard-schema.js';
import { convertDto } from './dto-conversion.js';
import { containerIssues, dtoIssues } from './dto-issues.js';
import type { DtoProperty, DtoReader, DtoRule, DtoSubtype } from './dto-model.js';
import { PlaceIndex } from './place-index.js';
import { pruneKeys } from './prune-keys.js';
import type { AdaptedSchema, SchemaAdapter } from './schema-adapter.js';
import { normalizeDocument } from './schema-document.js';

/** Classes with class-validator decorators. The only file that imports class-validator and class-transformer. */
export class DtoAdapter implements SchemaAdapter {
  readonly kind = 'dto';

  accepts(schema: SchemaLike): boolean {
    return typeof schema === 'function' && rulesOf(schema).length > 0;
  }

  adapt(schema: SchemaLike): AdaptedSchema {
    const dto = schema as DtoClass;
    const { document, classes } = convertDto(dto, readDto);
    const shape = { document, rootName: dto.name === '' ? undefined : dto.name, isNamed: () => true };
    return {
      ...shape,
      parse: dtoParser(dto, shape),
      nothing: false,
      transforms: fieldChanges(readDto(dto)),
      classes,
    };
  }
}

function dtoParser(
  dto: DtoClass,
  shape: Pick<AdaptedSchema, 'document' | 'rootName' | 'isNamed'>,
): AdaptedSchema['parse'] {
  const document = normalizeDocument(shape);
  const root = new PlaceIndex(document).root();
  return async (value) => {
    const wrong = containerIssues(document, value);
    if (wrong.length > 0) return { ok: false, issues: wrong };
    const pruned = pruneKeys(value, root) as object;
    const instance = plainToInstance(dto as new () => object, pruned, {
      exposeDefaultValues: true,
      enableImplicitConversion: false,
    });
    const errors = await validate(instance, {
      forbidUnknownValues: true,
      validationError: { target: true, value: false },
    });
    return errors.length === 0
      ? { ok: true, value: instance }
      : { ok: false, issues: dtoIssues(errors, readDto, value) };
  };
}

function fieldChanges(properties: readonly DtoProperty[]): (field: string) => boolean {
  const changing = new Set(properties.filter((property) => property.changes).map((property) => property.key));
  const known = new Set(properties.map((property) => property.key));
  return (field) => changing.has(field) || !known.has(field);
}

const models = new WeakMap<DtoClass, readonly DtoProperty[]>();

const readDto: DtoReader = (dto) => {
  let model = models.get(dto);
  if (model === undefined) {
    model = readProperties(dto);
    models.set(dto, model);
  }
  return model;
};

function readProperties(dto: DtoClass): DtoProperty[] {
  const byProperty = new Map<string, DtoRule[]>();
  for (const { property, rule } of rulesOf(dto))
    byProperty.set(property, [...(byProperty.get(property) ?? []), rule]);
  const defaults = defaultsOf(dto);
  const properties: DtoProperty[] = [];
  for (const [property, rules] of byProperty) {
    const exclusion = defaultMetadataStorage.findExcludeMetadata(dto, property) as
      { options?: { toPlainOnly?: boolean } } | undefined;
    if (exclusion !== undefined && exclusion.options?.toPlainOnly !== true) continue;
    properties.push(readProperty(dto, property, rules, defaults[property]));
  }
  return properties;
}

function readProperty(
  dto: DtoClass,
  property: string,
  rules: readonly DtoRule[],
  defaultValue: unknown,
): DtoProperty {
  const type = defaultMetadataStorage.findTypeMetadata(dto, property) as TypeMetadata | undefined;
  const exposed = defaultMetadataStorage.findExposeMetadata(dto, property) as
    { options?: ExposeOptions } | undefined;
  const exposedName = exposed?.options?.toPlainOnly === true ? undefined : exposed?.options?.name;
  const designType = metadata('design:type', dto, property);
  const transforms =
    defaultMetadataStorage.findTransformMetadatas(dto, property, TransformationType.PLAIN_TO_CLASS).length >
    0;
  return {
    property,
    key: exposedName ?? property,
    rules,
    designType,
    type: type?.typeFunction(),
    discriminator: discriminatorOf(type),
    changes:
      transforms ||
      type !== undefined ||
      designType === Date ||
      defaultValue !== undefined ||
      rules.some((rule) => rule.name === 'isDate'),
    defaultValue,
    api: (metadata('swagger/apiModelProperties', dto, property) ?? {}) as Record<string, unknown>,
  };
}

interface TypeMetadata {
  readonly typeFunction: () => unknown;
  readonly options?: {
    readonly discriminator?: {
      readonly property: string;
      readonly subTypes: readonly { readonly value: DtoClass; readonly name: string }[];
    };
  };
}

interface ExposeOptions {
  readonly name?: string;
  readonly toPlainOnly?: boolean;
}

function discriminatorOf(type: TypeMetadata | undefined): DtoProperty['discriminator'] {
  const discriminator = type?.options?.discriminator;
  if (discriminator === undefined) return undefined;
  const subtypes: DtoSubtype[] = discriminator.subTypes.map(({ value, name }) => ({
    type: value,
    value: name,
  }));
  return { property: discriminator.property, subtypes };
}

function rulesOf(dto: DtoClass): { readonly property: string; readonly rule: DtoRule }[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .map((entry) => ({
      property: entry.propertyName,
      rule: {
        name: ruleName(entry),
        kind: KINDS[entry.type] ?? 'check',
        constraints: Array.isArray(entry.constraints) ? (entry.constraints as unknown[]) : [],
        each: entry.each,
        echoes: typeof entry.message === 'string' && entry.message.includes('$value'),
      },
    }))
    .reverse();
}

const KINDS: Readonly<Record<string, DtoRule['kind']>> = {
  nestedValidation: 'nested',
  conditionalValidation: 'conditional',
  whitelistValidation: 'allow',
};

/** A custom validator class carries its name in the metadata of its constraint. */
function ruleName(entry: { name?: string; type: string; constraintCls?: unknown }): string {
  if (entry.name !== undefined) return entry.name;
  if (entry.type !== 'customValidation') return entry.type;
  const [constraint] = getMetadataStorage().getTargetValidatorConstraints(entry.constraintCls as never);
  return constraint?.name ?? 'a custom validator';
}

/** The values of property initialisers; a constructor that needs arguments has none. */
function defaultsOf(dto: DtoClass): Readonly<Record<string, unknown>> {
  try {
    return { ...(Reflect.construct(dto, []) as object) };
  } catch {
    return {};
  }
}

function metadata(key: string, dto: DtoClass, property: string): unknown {
  const { getMetadata } = Reflect as {
    getMetadata?: (key: string, target: object, property: string) => unknown;
  };
  return getMetadata?.(key, dto.prototype as object, property);
}
