import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { cleanupOpenApiDoc } from 'nestjs-zod';

export const ADAPTERS = ['express', 'fastify'] as const;
export type Adapter = (typeof ADAPTERS)[number];

/** The document of every operation, capabilities and ordinary controllers alike. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Support desk')
    .setDescription('Orders, customers and documents, served as capabilities.')
    .setVersion('1.0')
    .addBearerAuth()
    .build();
  return cleanupOpenApiDoc(SwaggerModule.createDocument(app, config));
}

/** Swagger UI at `/docs`, the document at `/docs-json`. */
export function serveOpenApi(app: INestApplication): void {
  SwaggerModule.setup('docs', app, openApiDocument(app), { swaggerOptions: { persistAuthorization: true } });
}
