import { Module } from '@nestjs/common';
import { DeskService } from './desk.service.js';

@Module({ providers: [DeskService], exports: [DeskService] })
export class DeskModule {}
