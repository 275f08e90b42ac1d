import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { CaseDriver } from '../driver.js';

const name = 'openapi';

/** The document of the generated routes. */
export const OPENAPI: CaseDriver = {
  name,
  adapters: ['express', 'fastify'],
  documents: (on) => ({
    name,
    on,
    document: () => SwaggerModule.createDocument(on.app, new DocumentBuilder().build()),
  }),
};
