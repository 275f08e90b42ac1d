import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

type Operation = { responses: Record<string, { content?: Record<string, { schema?: object }> }> };

/** Checks real responses against the schemas that the application's own OpenAPI document gives for them. */
export class ResponseValidator {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(private readonly document: OpenAPIObject) {
    addFormats.default(this.ajv);
  }

  /** What is wrong with a response; empty when it is as documented. `path` is the documented template. */
  problems(method: string, path: string, status: number, body: string): string[] {
    const operation = this.operation(method, path);
    if (operation === undefined) return [`${method} ${path} is not in the document`];
    const response = operation.responses[String(status)];
    if (response === undefined) return [`${method} ${path} does not document ${status}`];
    const schema = response.content?.['application/json']?.schema;
    if (schema === undefined) return body === '' ? [] : [`${method} ${path} ${status} documents no body`];
    const validate = this.validator(`${method} ${path} ${status}`, schema);
    return validate(JSON.parse(body))
      ? []
      : [`${method} ${path} ${status}: ${this.ajv.errorsText(validate.errors)} in ${body}`];
  }

  private operation(method: string, path: string): Operation | undefined {
    const item = this.document.paths[path] as Record<string, Operation> | undefined;
    return item?.[method.toLowerCase()];
  }

  private validator(key: string, schema: object): ValidateFunction {
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const validate = this.ajv.compile({ ...schema, components: this.document.components });
    this.compiled.set(key, validate);
    return validate;
  }
}
