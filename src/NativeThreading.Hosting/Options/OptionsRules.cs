using Microsoft.Extensions.Options;

namespace NativeThreading.Hosting;

/// <summary>Validates options by their own rules: their ranges, and how they depend on each other.</summary>
[OptionsValidator]
internal sealed partial class PoolOptionsRules : IValidateOptions<NativeThreadPoolOptions>;

/// <inheritdoc cref="PoolOptionsRules"/>
[OptionsValidator]
internal sealed partial class LoopsOptionsRules : IValidateOptions<EventLoopGroupOptions>;
