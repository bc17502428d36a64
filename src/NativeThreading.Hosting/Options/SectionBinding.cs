using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace NativeThreading.Hosting;

/// <summary>
/// Binds options to their section, by generated code. A value that cannot be read is an error of these options.
/// </summary>
internal static class SectionBinding
{
    public static void Bind(IConfiguration? configuration, Registration registration, NativeThreadPoolOptions options)
    {
        if (configuration?.GetSection(registration.Path) is not { } section)
        {
            return;
        }

        ThrowIfAny<NativeThreadPoolOptions>(registration, OptionKeys.Errors<NativeThreadPoolOptions>(section));
        try
        {
            section.Bind(options, RefuseUnknownKeys);
        }
        catch (InvalidOperationException exception)
        {
            throw Unreadable<NativeThreadPoolOptions>(registration, exception);
        }
    }

    public static void Bind(IConfiguration? configuration, Registration registration, EventLoopGroupOptions options)
    {
        if (configuration?.GetSection(registration.Path) is not { } section)
        {
            return;
        }

        ThrowIfAny<EventLoopGroupOptions>(registration, OptionKeys.Errors<EventLoopGroupOptions>(section));
        try
        {
            section.Bind(options, RefuseUnknownKeys);
        }
        catch (InvalidOperationException exception)
        {
            throw Unreadable<EventLoopGroupOptions>(registration, exception);
        }
    }

    /// <summary>
    /// A misspelt key would be a limit that does not hold. Unknown keys at the top level are refused earlier, by <see
    /// cref="OptionKeys"/>.
    /// </summary>
    private static void RefuseUnknownKeys(BinderOptions options) => options.ErrorOnUnknownConfiguration = true;

    private static void ThrowIfAny<TOptions>(Registration registration, string[] errors)
    {
        if (errors.Length != 0)
        {
            throw new OptionsValidationException(registration.Name, typeof(TOptions), errors);
        }
    }

    private static OptionsValidationException Unreadable<TOptions>(Registration registration, InvalidOperationException exception) =>
        new(registration.Name, typeof(TOptions), [$"{registration.Path}: {exception.Message}"]);
}
