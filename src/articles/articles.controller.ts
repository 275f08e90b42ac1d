import { Body, Controller, Get, Post, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ZodSerializerDto, ZodSerializerInterceptor, ZodValidationPipe } from 'nestjs-zod';
import { ArticleDto, CreateArticleDto } from './articles.dto.js';

/** An ordinary controller beside the capabilities: it stays what it was. */
@ApiTags('articles')
@Controller('articles')
@UsePipes(ZodValidationPipe)
@UseInterceptors(ZodSerializerInterceptor)
export class ArticlesController {
  private readonly articles: ArticleDto[] = [
    { id: 1, title: 'How to return a parcel', body: 'Keep the box.' },
  ];

  @Get()
  @ApiOkResponse({ type: [ArticleDto] })
  @ZodSerializerDto([ArticleDto])
  list(): ArticleDto[] {
    return this.articles;
  }

  @Post()
  @ApiCreatedResponse({ type: ArticleDto })
  @ZodSerializerDto(ArticleDto)
  create(@Body() { title, body }: CreateArticleDto): ArticleDto {
    const article = { id: this.articles.length + 1, title, body };
    this.articles.push(article);
    return article;
  }
}
