accelerate launch --config_file accelerate-config.yaml train.py --model_name_or_path mine \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --max_seq_length 2048
