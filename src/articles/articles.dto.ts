import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class CreateArticleDto extends createZodDto(
  z.object({ title: z.string().min(3).max(80), body: z.string().min(1) }),
) {}

export class ArticleDto extends createZodDto(
  z.object({ id: z.number().int(), title: z.string(), body: z.string() }),
) {}
