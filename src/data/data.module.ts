import { Global, Module } from '@nestjs/common';
import { DeskData } from './desk-data.js';

@Global()
@Module({ providers: [DeskData], exports: [DeskData] })
export class DataModule {}
