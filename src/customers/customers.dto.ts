import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsOptional, IsString, Length } from 'class-validator';

export class UpdateContactDto {
  @ApiProperty({ description: 'Customer id.', example: 'cus_1' })
  @IsString()
  customerId!: string;

  @ApiProperty({ example: 'grace.hopper@example.com' })
  @IsOptional()
  @IsEmail()
  email?: string;

  @ApiProperty({ example: '+49 30 5550199' })
  @IsOptional()
  @Length(5, 30)
  phone?: string;
}

export class CustomerDto {
  @IsString()
  id!: string;

  @IsString()
  name!: string;

  @IsString()
  email!: string;

  @IsString()
  phone!: string;
}
