import { Module } from '@nestjs/common';
import { DeskDatabase } from './desk-database.js';

@Module({ providers: [DeskDatabase], exports: [DeskDatabase] })
export class StoreModule {}
