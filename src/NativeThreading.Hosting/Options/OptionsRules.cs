using Microsoft.Extensions.Options;

namespace NativeThreading.Hosting;

/// <summary>Asks the options themselves, which know their ranges and how they depend on each other.</summary>
[OptionsValidator]
internal sealed partial class PoolOptionsRules : IValidateOptions<NativeThreadPoolOptions>;

/// <inheritdoc cref="PoolOptionsRules"/>
[OptionsValidator]
internal sealed partial class LoopsOptionsRules : IValidateOptions<EventLoopGroupOptions>;
