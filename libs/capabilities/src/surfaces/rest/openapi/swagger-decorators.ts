type Options = Readonly<Record<string, unknown>>;

/** The decorators of `@nestjs/swagger` that are used; the package is an optional peer. */
export interface SwaggerDecorators {
  ApiOperation(options: Options): MethodDecorator;
  ApiBody(options: Options): MethodDecorator;
  ApiParam(options: Options): MethodDecorator;
  ApiQuery(options: Options): MethodDecorator;
  ApiResponse(options: Options): MethodDecorator;
  ApiSecurity(requirement: Options): MethodDecorator;
  ApiExtension(key: string, value: unknown): MethodDecorator;
  ApiTags(...tags: string[]): MethodDecorator & ClassDecorator;
  ApiSchema(options: Options): ClassDecorator;
  ApiExtraModels(...models: unknown[]): MethodDecorator;
  ApiExcludeEndpoint(): MethodDecorator;
  ApiExcludeController(): ClassDecorator;
}

/** The installed package; undefined when the application has none, and then nothing is documented. */
export async function loadSwagger(): Promise<SwaggerDecorators | undefined> {
  try {
    return (await import('@nestjs/swagger')) as unknown as SwaggerDecorators;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const notFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return notFound && String(message).includes('@nestjs/swagger');
}
