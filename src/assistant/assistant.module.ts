import { Module } from '@nestjs/common';
import { AssistantController } from './assistant.controller.js';
import { DESK_MODEL, deskModel } from './desk-model.js';

/** A chat over the desk's capabilities. */
@Module({
  controllers: [AssistantController],
  providers: [{ provide: DESK_MODEL, useFactory: deskModel }],
})
export class AssistantModule {}
